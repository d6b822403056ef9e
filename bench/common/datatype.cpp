// bench/common/datatype.cpp: the constructors of datatype.hpp. They check no error codes, because
// MPI's default error handler ends the program.
#include "common/datatype.hpp"

namespace heddle::bench {

Type contiguous(int count, const Type& of) {
  MPI_Datatype made;
  MPI_Type_contiguous(count, of, &made);
  return Type::adopt(made);
}

Type vector(int count, int block, int stride, const Type& of) {
  MPI_Datatype made;
  MPI_Type_vector(count, block, stride, of, &made);
  return Type::adopt(made);
}

Type hvector(int count, int block, MPI_Aint stride, const Type& of) {
  MPI_Datatype made;
  MPI_Type_create_hvector(count, block, stride, of, &made);
  return Type::adopt(made);
}

Type indexed(const std::vector<int>& lengths, const std::vector<int>& at, const Type& of) {
  MPI_Datatype made;
  MPI_Type_indexed(static_cast<int>(at.size()), lengths.data(), at.data(), of, &made);
  return Type::adopt(made);
}

Type indexed_block(int block, const std::vector<int>& at, const Type& of) {
  MPI_Datatype made;
  MPI_Type_create_indexed_block(static_cast<int>(at.size()), block, at.data(), of, &made);
  return Type::adopt(made);
}

Type structure(const std::vector<Field>& fields) {
  std::vector<int> blocks;
  std::vector<MPI_Aint> at;
  std::vector<MPI_Datatype> types;
  for (const Field& field : fields) {
    blocks.push_back(field.blocks);
    at.push_back(field.at);
    types.push_back(field.type);
  }
  MPI_Datatype made;
  MPI_Type_create_struct(static_cast<int>(fields.size()), blocks.data(), at.data(), types.data(), &made);
  return Type::adopt(made);
}

Type resized(const Type& of, MPI_Aint lower, MPI_Aint extent) {
  MPI_Datatype made;
  MPI_Type_create_resized(of, lower, extent, &made);
  return Type::adopt(made);
}

Type box(const std::vector<int>& array, const std::vector<int>& size, const std::vector<int>& start, const Type& of) {
  MPI_Datatype made;
  MPI_Type_create_subarray(static_cast<int>(array.size()), array.data(), size.data(), start.data(), MPI_ORDER_C, of, &made);
  return Type::adopt(made);
}

}  // namespace heddle::bench
