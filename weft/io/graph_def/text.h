// Parts of a GraphDef in the text form of protobuf.
#pragma once

#include "weft/io/graph_def/graph_def.h"

namespace weft::io {

std::string text_of(const NodeDef& node);     // name: "Add/x" op: "Const" ...
std::string text_of(const AttrValue& value);  // tensor { dtype: DT_INT32 ... int_val: 3 }

}  // namespace weft::io
