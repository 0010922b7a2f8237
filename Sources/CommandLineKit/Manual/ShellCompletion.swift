/// Completion of commands for a shell: its script is made from the table of commands.
package enum ShellCompletion: String, CaseIterable, Sendable {
    case bash, zsh

    /// The script that the shell reads.
    package func script(root: Command, _ texts: TextLookup) -> String {
        let places = Self.places(below: [root])
        return switch self {
        case .bash: Self.bash(root.name, places)
        case .zsh: Self.zsh(root.name, places, texts)
        }
    }

    /// One command with what may follow its name.
    private struct Place {
        /// Names of the commands from the root on, without the root: `ctl user add`.
        let name: String
        let subcommands: [Command]
        /// Its own options and those of the commands above it.
        let options: [CommandOption]
    }

    private static func places(below path: [Command]) -> [Place] {
        let command = path[path.count - 1]
        let place = Place(
            name: path.dropFirst().map(\.name).joined(separator: " "), subcommands: command.subcommands,
            options: path.flatMap(\.options))
        return [place] + command.subcommands.flatMap { Self.places(below: path + [$0]) }
    }

    private static let helpOption = CommandOption("help", .flag, help: "option.help")

    // MARK: bash

    /// A script that walks the words up to the cursor along a table, and offers what the place it comes to has.
    private static func bash(_ program: String, _ places: [Place]) -> String {
        var words = "", choices = ""
        for place in places {
            let names = place.subcommands.map(\.name) + (place.options + [Self.helpOption]).map { "--\($0.name)" }
            words += "        \(Self.quoted(place.name))) words='\(names.joined(separator: " "))' ;;\n"
        }
        let taking = Self.takingValues(places)
        for place in places {
            for option in place.options {
                guard case .choice(let values) = option.shape else { continue }
                choices += "        '\(place.name) --\(option.name)') words='\(values.joined(separator: " "))' ;;\n"
            }
        }
        return """
            # Completion of \(program) for bash, made by `\(program) completion bash` from the table of its commands.
            _\(program)() {
                local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}
                local place='' words='' next index=1
                COMPREPLY=()
                while [ "$index" -lt "$COMP_CWORD" ]; do
                    next=${COMP_WORDS[index]}
                    case $next in
                        \(taking)) index=$((index + 1)) ;;
                        -*) ;;
                        *)
                            _\(program)_words "$place"
                            case " $words " in
                                *" $next "*) place=${place:+$place }$next ;;
                            esac
                            ;;
                    esac
                    index=$((index + 1))
                done
                case $previous in
                    \(taking))
                        words=
                        _\(program)_choices "$place $previous"
                        if [ -n "$words" ]; then
                            COMPREPLY=($(compgen -W "$words" -- "$current"))
                        else
                            compopt -o default 2>/dev/null
                        fi
                        return
                        ;;
                esac
                _\(program)_words "$place"
                case $current in
                    -*) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
                    *)
                        COMPREPLY=($(compgen -W "$words" -X '--*' -- "$current"))
                        [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default 2>/dev/null
                        ;;
                esac
            }

            _\(program)_words() {
                case $1 in
            \(words)    esac
            }

            _\(program)_choices() {
                case $1 in
            \(choices)    esac
            }

            complete -F _\(program) \(program)

            """
    }

    /// Options that a value follows, as a pattern of `case`.
    private static func takingValues(_ places: [Place]) -> String {
        let names = places.flatMap(\.options).filter { !Self.isFlag($0) }.map { "--\($0.name)" }
        return Set(names).sorted().joined(separator: "|")
    }

    private static func isFlag(_ option: CommandOption) -> Bool {
        switch option.shape {
        case .flag: true
        case .value, .choice, .number: false
        }
    }

    // MARK: zsh

    /// A script as `_arguments` and `_describe` of zsh take it, with a sentence beside each word.
    private static func zsh(_ program: String, _ places: [Place], _ texts: TextLookup) -> String {
        var subcommands = "", options = ""
        for place in places {
            let names = place.subcommands.map { Self.quoted("\($0.name):\(texts($0.summary, [:]))") }
            if !names.isEmpty {
                subcommands += "        \(Self.quoted(place.name))) subcommands=(\(names.joined(separator: " "))) ;;\n"
            }
            let specifications = (place.options + [Self.helpOption]).map { Self.specification($0, texts) }
            options += "        \(Self.quoted(place.name))) options=(\(specifications.joined(separator: " "))) ;;\n"
        }
        return """
            #compdef \(program)
            # Completion of \(program) for zsh, made by `\(program) completion zsh` from the table of its commands.
            _\(program)() {
                local place='' next
                local -i index=2
                local -a subcommands options names
                while (( index < CURRENT )); do
                    next=$words[index]
                    case $next in
                        \(Self.takingValues(places))) (( index += 1 )) ;;
                        -*) ;;
                        *)
                            _\(program)_place "$place"
                            names=(${subcommands%%:*})
                            (( ${names[(Ie)$next]} )) && place=${place:+$place }$next
                            ;;
                    esac
                    (( index += 1 ))
                done
                _\(program)_place "$place"
                if (( $#subcommands )) && [[ $words[CURRENT] != -* ]]; then
                    _describe -t commands command subcommands
                else
                    _arguments -S $options '*:file:_files'
                fi
            }

            _\(program)_place() {
                subcommands=() options=()
                case $1 in
            \(subcommands)    esac
                case $1 in
            \(options)    esac
            }

            _\(program) "$@"

            """
    }

    private static func specification(_ option: CommandOption, _ texts: TextLookup) -> String {
        let help = texts(option.help, [:]).flatMap { "[]".contains($0) ? "\\\($0)" : String($0) }
        let value =
            switch option.shape {
            case .flag: ""
            case .value(let placeholder): ":\(placeholder.replacingColons):_files"
            case .choice(let values): ":\(option.name):(\(values.joined(separator: " ")))"
            case .number(let least, let most): ":\(least)-\(most):"
            }
        return Self.quoted("\(option.isRepeated ? "*" : "")--\(option.name)[\(String(help))]\(value)")
    }

    /// A word of a shell, whatever stands in it.
    private static func quoted(_ text: String) -> String {
        "'" + text.flatMap { $0 == "'" ? "'\\''" : String($0) } + "'"
    }
}

extension String {
    /// With a dash for each colon, which ends a field of zsh's.
    fileprivate var replacingColons: String { String(self.map { $0 == ":" ? "-" : $0 }) }
}
