# Installs the library, its headers, the command line if it was built, and what find_package and pkg-config read. All
# paths inside are relative, so that the installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS posenc EXPORT posencTargets FILE_SET HEADERS)

if(TARGET posenc_plot)
  set_target_properties(posenc_plot PROPERTIES INSTALL_RPATH "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN>")
  install(TARGETS posenc_plot EXPORT posencPlotTargets)
endif()

if(TARGET posenc_cli)
  # A shared library stands beside the program, wherever both are moved to.
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(posenc_cli PROPERTIES INSTALL_RPATH "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/${bin_to_lib}>")
  install(TARGETS posenc_cli)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)
install(EXPORT posencTargets NAMESPACE posenc:: DESTINATION ${package_dir})
if(TARGET posenc_plot)
  install(EXPORT posencPlotTargets NAMESPACE posenc:: DESTINATION ${package_dir})
endif()
configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version may change the interface.
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/posencConfig.cmake ${PROJECT_BINARY_DIR}/posencConfigVersion.cmake
        DESTINATION ${package_dir})

# Folders that were given as absolute paths stay where they are; the others move with the .pc file.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
foreach(dir LIBDIR INCLUDEDIR)
  set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()
# Who links a static library links what it needs too; a shared one brings it along.
set(pc_requires "Requires: libhwy")
set(pc_libs "Libs: -L\${libdir} -lposenc -pthread")
set(pc_plot_requires "Requires: posenc cairo")
if(BUILD_SHARED_LIBS)
  set(pc_requires "Requires.private: libhwy")
  set(pc_libs "Libs: -L\${libdir} -lposenc\nLibs.private: -pthread")
  set(pc_plot_requires "Requires: posenc\nRequires.private: cairo")
endif()
configure_file(cmake/posenc.pc.in posenc.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/posenc.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET posenc_plot)
  configure_file(cmake/posenc-plot.pc.in posenc-plot.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/posenc-plot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()

install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
