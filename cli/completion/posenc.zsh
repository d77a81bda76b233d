#compdef posenc
# zsh completion of posenc: source <(posenc completions zsh)
{{! One function per command with subcommands, because zsh counts the words again for each. }}
{{#commands}}
{{^leaf}}
_posenc{{function}}() {
  if (( CURRENT == 2 )) && [[ $words[2] != -* ]]; then
    local -a commands=(
{{#below}}
      '{{name}}:{{zsh_help}}'
{{/below}}
    )
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
{{#below}}
    {{name}})
{{#below_names}}
      _posenc{{function}}
{{/below_names}}
{{^below_names}}
      _arguments{{#options}}{{#names}} \
        '{{flag}}[{{zsh_help}}]{{#takes_value}}:value:{{#choices}}({{choices}}){{/choices}}{{^choices}}_files{{/choices}}{{/takes_value}}'{{/names}}{{/options}}{{#positionals}} \
        '{{place}}:{{label}}:{{#choices}}({{choices}}){{/choices}}{{^choices}}_files{{/choices}}'{{/positionals}}
{{/below_names}}
      ;;
{{/below}}
  esac
}
{{/leaf}}
{{/commands}}
{{! The first time, zsh runs a file of fpath as the function itself. }}
if [[ $funcstack[1] == _posenc ]]; then
  _posenc "$@"
else
  compdef _posenc posenc
fi
