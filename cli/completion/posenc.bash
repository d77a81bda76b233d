# bash completion of posenc: source <(posenc completions bash)
_posenc() {
{{! Bash splits words at ':' and '='; join them again. }}
  local current=${COMP_WORDS[COMP_CWORD]} previous= path= place=0 word values= i
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    case $word in
      : | =) continue ;;
    esac
    case ${COMP_WORDS[i - 1]} in
      : | =) continue ;;
    esac
    if [[ -n $previous && " $values " == *" $previous "* ]]; then
      previous=
      continue
    fi
    previous=$word
    case "$path/$word" in
      */-*) ;;
{{#commands}}
{{^root}}
      '{{above}}/{{name}}') path='{{path}}' place=0 previous= ;;
{{/root}}
{{/commands}}
      *) place=$((place + 1)) ;;
    esac
    case $path in
{{#commands}}
      '{{path}}') values='{{values}}' ;;
{{/commands}}
    esac
  done
  local list= files=no
  [[ $previous == -* ]] || previous=
  case "$path|$previous" in
{{#commands}}
{{#options}}
{{#choices}}
{{#names}}
    '{{path}}|{{flag}}') list='{{choices}}' files=no ;;
{{/names}}
{{/choices}}
{{/options}}
{{/commands}}
    *)
      if [[ -n $previous && " $values " == *" $previous "* ]]; then
        files=yes
      fi ;;
  esac
{{! Not the value of an option: complete an option, a command, or the argument at this place. }}
  [[ -z $list && $files == no ]] && case $path in
{{#commands}}
    '{{path}}')
      if [[ $current == -* ]]; then
        list='{{flags}}'
      else
{{^leaf}}
        list='{{below_names}}'
{{/leaf}}
{{#leaf}}
        case $place in
{{#positionals}}
          {{#repeated}}*{{/repeated}}{{^repeated}}{{index}}{{/repeated}}) list='{{choices}}' files={{#files}}yes{{/files}}{{^files}}no{{/files}} ;;
{{/positionals}}
        esac
{{/leaf}}
      fi ;;
{{/commands}}
  esac
  [[ $current == [:=] ]] && current=
  COMPREPLY=($(compgen -W "$list" -- "$current"))
  if [[ $files == yes && ${#COMPREPLY[@]} == 0 ]]; then
    local IFS=$'\n'
    COMPREPLY=($(compgen -f -- "$current"))
  fi
}
complete -o filenames -F _posenc posenc
