# What zsh offers after the tab key, in a terminal of its own:  zsh -f complete.zsh FOLDER     FOLDER has _teahouse
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D; stty cols 160; print rea''dy"
screen=
# Reads until the words stand on the screen, a minute at most.
sees() {
    local piece plain
    repeat 600; do
        while zpty -r -t shell piece 2>/dev/null; do screen+=$piece; done
        plain=${screen//$'\e'\[[0-9;]#[a-zA-Z]/}
        [[ ${plain//[$'\b\r\n']/} == *$1* ]] && return 0
        sleep 0.1
    done
    print -r -- "zsh does not come to '$1': ${(V)screen}" >&2
    exit 1
}
setopt extended_glob
# Types words and a tab on a line of its own, and waits for what they become.
completes() {
    screen=
    zpty -w -n shell $'\025'"$1"$'\t'
    sees "$2"
}
sees ready
completes "teahouse ctl us" "teahouse ctl user"
completes "teahouse ctl user ad" "teahouse ctl user add"
completes "teahouse ctl user add --dis" "teahouse ctl user add --display-name"
completes "teahouse serve --log-format j" "teahouse serve --log-format json"
completes "teahouse ctl --data /srv conv" "teahouse ctl --data /srv conversation"
