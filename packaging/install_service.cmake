# Run by cmake --install: where the program lies is known only then (--prefix). Told by packaging/CMakeLists.txt:
# AGENTCTL_SOURCE and AGENTCTL_BINDIR.
set(AGENTCTL_PROGRAM "${CMAKE_INSTALL_PREFIX}/${AGENTCTL_BINDIR}/agentctl")
foreach(made IN ITEMS
    units/agentctl.service lib/systemd/user/agentctl.service
    packaging/org.agentctl.Manager1.service share/dbus-1/services/org.agentctl.Manager1.service)
  if(NOT DEFINED template)
    set(template "${AGENTCTL_SOURCE}/${made}.in")
    continue()
  endif()
  set(installed "${CMAKE_INSTALL_PREFIX}/${made}")
  message(STATUS "Installing: $ENV{DESTDIR}${installed}")
  configure_file("${template}" "$ENV{DESTDIR}${installed}" @ONLY)
  list(APPEND CMAKE_INSTALL_MANIFEST_FILES "${installed}")
  unset(template)
endforeach()
