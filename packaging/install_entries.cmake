# SPDX-License-Identifier: Apache-2.0
# Runs at install time, when the prefix is known: installs the desktop entries with the full path of the program, for a
# login session's PATH may lack its directory. Wants AGENTCTL_ENTRIES (the sources), AGENTCTL_ENTRIES_OUT (for what is
# written), AGENTCTL_BINDIR and AGENTCTL_DATADIR (relative to the prefix, or absolute).
cmake_path(ABSOLUTE_PATH AGENTCTL_BINDIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE bindir)
cmake_path(ABSOLUTE_PATH AGENTCTL_DATADIR BASE_DIRECTORY "${CMAKE_INSTALL_PREFIX}" OUTPUT_VARIABLE datadir)
set(program "${bindir}/agentctl")

# Desktop Entry Specification, "The Exec key": a quoted argument, field codes, and the escapes of a value of type string.
set(in_exec "${program}")
foreach(character "\\" "\"" "`" "$")
  string(REPLACE "${character}" "\\${character}" in_exec "${in_exec}")
endforeach()
string(REPLACE "%" "%%" in_exec "${in_exec}")
string(REPLACE "\\" "\\\\" in_exec "${in_exec}")
if(program MATCHES "[^A-Za-z0-9/._+-]")
  set(in_exec "\"${in_exec}\"")
endif()
string(REPLACE "\\" "\\\\" in_value "${program}")
string(REPLACE "'" "'\\''" in_shell "${program}")

function(install_entry source destination name)
  file(READ "${AGENTCTL_ENTRIES}/${source}" text)
  string(REPLACE "\nExec=agentctl " "\nExec=${in_exec} " text "${text}")
  string(REPLACE "\nTryExec=agentctl\n" "\nTryExec=${in_value}\n" text "${text}")
  string(REPLACE "\nexec agentctl " "\nexec '${in_shell}' " text "${text}")
  file(WRITE "${AGENTCTL_ENTRIES_OUT}/${destination}/${name}" "${text}")
  if(name MATCHES "[.]desktop$")
    set(permissions OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  else()
    set(permissions OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
  endif()
  file(INSTALL "${AGENTCTL_ENTRIES_OUT}/${destination}/${name}" DESTINATION "${datadir}/${destination}" PERMISSIONS ${permissions})
endfunction()

install_entry(agentctl.desktop applications agentctl.desktop)
install_entry(file-managers/dolphin.desktop kio/servicemenus agentctl.desktop)
install_entry(file-managers/thunar.desktop Thunar/sendto agentctl.desktop)
install_entry(file-managers/nautilus-script agentctl nautilus-script)
