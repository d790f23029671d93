import type { shells } from './complete.ts';

const bash = `# bash completion for holdfast: source <(holdfast completion bash)
_holdfast() {
  local IFS=$'\\n'
  COMPREPLY=($(holdfast __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  # What ends with a slash is only the beginning of a name.
  if [[ \${#COMPREPLY[@]} -eq 1 && \${COMPREPLY[0]} == */ ]]; then compopt -o nospace; fi
}
complete -o default -F _holdfast holdfast
`;

const zsh = `#compdef holdfast
# zsh completion for holdfast: source <(holdfast completion zsh)
_holdfast() {
  local -a all begun whole
  all=("\${(@f)$(holdfast __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  # What ends with a slash is only the beginning of a name.
  begun=(\${(M)all:#*/})
  whole=(\${all:#*/})
  (( \${#begun} )) && compadd -S '' -- \${begun}
  (( \${#whole} )) && compadd -- \${whole}
}
if [ "\${funcstack[1]}" = "_holdfast" ]; then _holdfast; else compdef _holdfast holdfast; fi
`;

const fish = `# fish completion for holdfast: holdfast completion fish | source
complete -c holdfast -f -a '(holdfast __complete (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null)'
`;

export const scripts: Readonly<Record<(typeof shells)[number], string>> = { bash, zsh, fish };
