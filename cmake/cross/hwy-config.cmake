include(${CMAKE_CURRENT_LIST_DIR}/HeadersOf.cmake)
posenc_headers_of(hwy::hwy hwy/highway.h)
