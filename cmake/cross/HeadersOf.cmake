# Makes a target with only the headers of a library. Their folder in /usr/include is linked into a separate folder,
# because the rest of /usr/include belongs to the libc of this machine.
function(posenc_headers_of target header)
  cmake_path(GET header PARENT_PATH folder)
  find_path(${folder}_headers ${header} PATHS /usr/include /usr/local/include NO_DEFAULT_PATH REQUIRED)
  set(own ${CMAKE_BINARY_DIR}/headers/${folder})
  file(MAKE_DIRECTORY ${own})
  file(CREATE_LINK ${${folder}_headers}/${folder} ${own}/${folder} SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE ${own})
endfunction()
