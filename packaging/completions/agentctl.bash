# SPDX-License-Identifier: Apache-2.0
# shellcheck shell=bash
# bash completion for agentctl. What may follow is told by the program itself; no verb and no option stands here.

_agentctl() {
  local -a answer
  local before word=${COMP_WORDS[COMP_CWORD]} first=0
  mapfile -t answer < <(command agentctl complete bash "${COMP_LINE:0:COMP_POINT}" "$word" 2>/dev/null)
  COMPREPLY=()
  case ${answer[0]-} in
    words)
      COMPREPLY=("${answer[@]:1}")
      [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace
      ;;
    files) compopt -o default ;;
    directories) compopt -o dirnames ;;
    hosts)
      [[ $word != @ ]] || word=
      if declare -F _known_hosts_real >/dev/null; then
        _known_hosts_real -a -- "$word"
      else
        mapfile -t COMPREPLY < <(compgen -A hostname -- "$word")
      fi
      ;;
    command)
      # The words before COMMAND, as bash has cut them: --home=private is three of its own.
      before=${answer[1]}
      while [[ $before == *[![:space:]]* && $first -lt $COMP_CWORD ]]; do
        before=${before#"${before%%[![:space:]]*}"}
        before=${before#"${COMP_WORDS[first]}"}
        first=$((first + 1))
      done
      # Paths alone after it: the command's own completion may run what the project brings (make reads its Makefile), here
      # and not in the sandbox.
      if [[ $first -eq $COMP_CWORD && $word != */* ]]; then
        mapfile -t COMPREPLY < <(compgen -c -- "$word")
      else
        compopt -o default
      fi
      ;;
  esac
}

complete -F _agentctl agentctl
