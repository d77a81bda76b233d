include(${CMAKE_CURRENT_LIST_DIR}/HeadersOf.cmake)
posenc_headers_of(nlohmann_json::nlohmann_json nlohmann/json.hpp)
