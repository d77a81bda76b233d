# fish completion of posenc: posenc completions fish | source
function __posenc_at
    set -l words (commandline -opc)
    set -e words[1]
    test (count $words) -ge (count $argv); or return 1
    for i in (seq (count $argv))
        test $words[$i] = $argv[$i]; or return 1
    end
end
# The number of words after the command (`depth` words long), without options and the values of `options`.
function __posenc_place --argument-names depth options
    set -l words (commandline -opc)
    set -e words[1..(math $depth + 1)]
    set -l place 0
    set -l value no
    for word in $words
        if test $value = yes
            set value no
        else if string match -q -- '-*' $word
            contains -- $word (string split ' ' -- $options); and set value yes
        else
            set place (math $place + 1)
        end
    end
    echo $place
end
complete -c posenc -f
{{#commands}}
{{#below}}
complete -c posenc -f -n '{{above_at}}; and test (count (commandline -opc)) -eq {{depth}}' -a {{name}} -d '{{help}}'
{{/below}}
{{#options}}
complete -c posenc -n '{{#root}}test (count (commandline -opc)) -eq 1{{/root}}{{^root}}{{at}}{{/root}}'{{#names}} {{fish_flag}}{{/names}}{{#takes_value}}{{#choices}} -x -a '{{choices}}'{{/choices}}{{^choices}} -r -F{{/choices}}{{/takes_value}} -d '{{help}}'
{{/options}}
{{#positionals}}
complete -c posenc -n '{{at}}; and test (__posenc_place {{depth}} "{{values}}") {{#repeated}}-ge{{/repeated}}{{^repeated}}-eq{{/repeated}} {{index}}'{{#files}} -F{{/files}}{{#choices}} -a '{{choices}}'{{/choices}} -d '{{label}}'
{{/positionals}}
{{/commands}}
