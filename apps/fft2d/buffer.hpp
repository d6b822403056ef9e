// fft2d/buffer.hpp: arrays with the alignment that FFTW's SIMD code needs, and plans of FFTW. Both
// are freed with their owner.
#pragma once

#include <fftw3.h>

#include <complex>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

namespace fft2d {

using Complex = std::complex<double>;
inline fftw_complex* fftw(Complex* z) { return reinterpret_cast<fftw_complex*>(z); }

class Matrix {
 public:
  Matrix(int rows, int columns) : rows_(rows), columns_(columns) {
    elements_.reset(reinterpret_cast<Complex*>(fftw_malloc(size() * sizeof(Complex) + 1)));
    if (!elements_) throw std::bad_alloc();
  }
  [[nodiscard]] int rows() const { return rows_; }
  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(rows_) * static_cast<std::size_t>(columns_); }
  [[nodiscard]] Complex* data() { return elements_.get(); }
  [[nodiscard]] const Complex* data() const { return elements_.get(); }
  std::span<Complex> row(int i) {
    return {elements_.get() + static_cast<std::size_t>(i) * static_cast<std::size_t>(columns_),
            static_cast<std::size_t>(columns_)};
  }
  [[nodiscard]] std::span<const Complex> row(int i) const { return const_cast<Matrix*>(this)->row(i); }

 private:
  struct Free {
    void operator()(Complex* p) const { fftw_free(p); }
  };
  int rows_, columns_;
  std::unique_ptr<Complex, Free> elements_;
};

class Plan {
 public:
  explicit Plan(fftw_plan plan) : plan_(plan) {}
  ~Plan() { fftw_destroy_plan(plan_); }
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;
  operator fftw_plan() const { return plan_; }

 private:
  fftw_plan plan_;
};

/// 1-D transforms of the rows of a matrix, in place. FFTW_ESTIMATE gives the same plan, and so the
/// same rounding, in every run.
class RowTransform {
 public:
  RowTransform(Matrix& m, int direction)
      : plan_(fftw_plan_dft_1d(m.columns(), fftw(m.data()), fftw(m.data()), direction, FFTW_ESTIMATE | FFTW_UNALIGNED)) {}
  void operator()(Matrix& m) const {
    for (int i = 0; i < m.rows(); ++i) fftw_execute_dft(plan_, fftw(m.row(i).data()), fftw(m.row(i).data()));
  }

 private:
  Plan plan_;
};

}  // namespace fft2d
