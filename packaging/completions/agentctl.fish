# SPDX-License-Identifier: Apache-2.0
# fish completion for agentctl. What may follow is told by the program itself; no verb and no option stands here.

function __agentctl_complete
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    set -l answer (command agentctl complete words $words[2..-1] "$token" 2>/dev/null)
    or return
    set -l kind (string split ' ' -- $answer[1])
    set -l kept (string sub --length $kind[2] -- "$token")
    set -l rest (string sub --start (math $kind[2] + 1) -- "$token")
    switch $kind[1]
        case words
            printf '%s\n' $answer[2..-1]
        case files
            for path in (__fish_complete_path "$rest")
                printf '%s%s\n' "$kept" $path
            end
        case directories
            for path in (__fish_complete_directories "$rest" '')
                printf '%s%s\n' "$kept" $path
            end
        case hosts
            for host in (__fish_complete_user_at_hosts "$rest")
                printf '%s%s\n' "$kept" $host
            end
        case command
            # Paths alone after it: the command's own completion may run what the project brings (make reads its Makefile),
            # here and not in the sandbox.
            if test (count $words[(math $kind[2] + 2)..-1]) -eq 0
                complete --do-complete "$token"
            else
                __fish_complete_path "$token"
            end
    end
end

complete --command agentctl --no-files --arguments '(__agentctl_complete)'
