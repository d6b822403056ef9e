# Solves Poisson's equation on a cube of 40^3 points ten times, by PETSc's conjugate gradients on a
# DMDA.
from petsc4py import PETSc

N = 40
grid = PETSc.DMDA().create([N, N, N], stencil_width=1, setup=True)
matrix = grid.createMatrix()
row, column = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
(x0, x1), (y0, y1), (z0, z1) = grid.getRanges()
for z in range(z0, z1):
    for y in range(y0, y1):
        for x in range(x0, x1):
            row.index = column.index = (x, y, z)
            matrix.setValueStencil(row, column, 6.0)
            for dx, dy, dz in ((1, 0, 0), (-1, 0, 0), (0, 1, 0), (0, -1, 0), (0, 0, 1), (0, 0, -1)):
                beside = (x + dx, y + dy, z + dz)
                if all(0 <= at < N for at in beside):
                    column.index = beside
                    matrix.setValueStencil(row, column, -1.0)
matrix.assemble()

right = grid.createGlobalVec()
right.set(1.0)
solution = grid.createGlobalVec()
solver = PETSc.KSP().create()
solver.setOperators(matrix)
solver.setType("cg")
solver.getPC().setType("jacobi")
solver.setTolerances(rtol=1e-10)
for _ in range(10):
    solution.set(0.0)
    solver.solve(right, solution)
PETSc.Sys.Print(f"{solver.getIterationNumber()} iterations, norm {solution.norm():.6f}")
