# Installs the libraries that were built, each with its headers, the command line, and what find_package and pkg-config
# read. All paths inside are relative, so that the installed tree can be moved.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Folders given as absolute paths are fixed; the others are relative to the .pc file.
file(RELATIVE_PATH pc_to_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_to_prefix "${pc_to_prefix}")
foreach(dir LIBDIR INCLUDEDIR)
  set(pc_${dir} ${CMAKE_INSTALL_${dir}})
  if(NOT IS_ABSOLUTE "${pc_${dir}}")
    string(PREPEND pc_${dir} "\${prefix}/")
  endif()
endforeach()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/posenc)

# posenc_install(TARGET NAME "what it is" "public packages" "packages of others"): NAME is that of the .pc file.
function(posenc_install target pc_name pc_description pc_public pc_private)
  # Shared libraries of posenc stay in one folder, wherever it is moved to.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN>")
  install(TARGETS ${target} EXPORT ${target}Targets FILE_SET HEADERS)
  install(EXPORT ${target}Targets NAMESPACE posenc:: DESTINATION ${package_dir})
  # A user of a static library must link its dependencies too; a shared library has them already.
  set(pc_threads " -pthread")
  if(NOT target STREQUAL "posenc")
    set(pc_threads "")
  endif()
  if(BUILD_SHARED_LIBS)
    set(pc_requires "Requires: ${pc_public}\nRequires.private: ${pc_private}")
    set(pc_libs "Libs: -L\${libdir} -l${target}\nLibs.private:${pc_threads}")
  else()
    set(pc_requires "Requires: ${pc_public} ${pc_private}")
    set(pc_libs "Libs: -L\${libdir} -l${target}${pc_threads}")
  endif()
  configure_file(cmake/posenc.pc.in ${pc_name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${pc_name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

posenc_install(posenc posenc "${PROJECT_DESCRIPTION}" "" libhwy)
if(TARGET posenc_files)
  posenc_install(posenc_files posenc-files "npy, safetensors, JSON and GGUF files for posenc" "posenc = ${PROJECT_VERSION}" "")
endif()
if(TARGET posenc_models)
  posenc_install(posenc_models posenc-models "Which encoding a model uses, for posenc" "posenc-files = ${PROJECT_VERSION}" "")
endif()
if(TARGET posenc_insight)
  posenc_install(posenc_insight posenc-insight "Checks, explanations, figures and diagnosis for posenc" "posenc-models = ${PROJECT_VERSION}" "")
endif()
if(TARGET posenc_plot)
  posenc_install(posenc_plot posenc-plot "Figures of posenc as PNG and PDF" "posenc-insight = ${PROJECT_VERSION}" cairo)
endif()

if(TARGET posenc_cli)
  file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
  set_target_properties(posenc_cli PROPERTIES INSTALL_RPATH "$<$<BOOL:${BUILD_SHARED_LIBS}>:$ORIGIN/${bin_to_lib}>")
  install(TARGETS posenc_cli)
endif()

configure_package_config_file(cmake/posencConfig.cmake.in posencConfig.cmake INSTALL_DESTINATION ${package_dir})
# Below 1.0 a minor version may change the interface.
write_basic_package_version_file(posencConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/posencConfig.cmake ${PROJECT_BINARY_DIR}/posencConfigVersion.cmake
        DESTINATION ${package_dir})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/posenc)
