import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The result of compiling a program. */
export interface Compilation {
  /** One line per error: file, place, message. */
  readonly errors: readonly string[];
  /** The text that the compiler wrote. */
  readonly report: string;
  /** Figures of `--extendedDiagnostics` by name, such as `Instantiations`. */
  readonly figures: ReadonlyMap<string, number>;
}

/**
 * Compiles a separate program that imports "odatakit", with the strict flags of the project, so that its
 * augmentations and size do not affect other tests.
 * @param files source texts by file name
 * @param only compiler options that differ
 */
export function compileProgram(
  files: Readonly<Record<string, string>>,
  only: Readonly<Record<string, unknown>> = {},
): Compilation {
  const folder = mkdtempSync(join(tmpdir(), "odatakit-types-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const config = {
      extends: join(ROOT, "tsconfig.base.json"),
      compilerOptions: {
        noEmit: true,
        typeRoots: [join(ROOT, "node_modules/@types")],
        paths: {
          odatakit: [join(ROOT, "src/index.ts")],
          "odatakit/kysely": [join(ROOT, "src/databases/kysely/index.ts")],
        },
        ...only,
      },
      files: Object.keys(files),
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    return readReport(runCompiler(folder));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function runCompiler(folder: string): string {
  const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
  try {
    return execFileSync(process.execPath, [compiler, "-p", folder, "--extendedDiagnostics", "--pretty", "false"], {
      encoding: "utf8",
      cwd: folder,
    });
  } catch (error) {
    // For errors of the program, the compiler exits with an error status and reports on the standard output.
    if (error instanceof Error && "stdout" in error && typeof error.stdout === "string" && error.stdout !== "") {
      return error.stdout;
    }
    throw error;
  }
}

function readReport(report: string): Compilation {
  const lines = report.split("\n");
  const figures = lines.flatMap((line) => {
    const [, name, value] = /^([A-Z][\w /]*):\s+([\d.]+)[sK]?$/u.exec(line.trim()) ?? [];
    return name === undefined ? [] : [[name, Number(value)] as const];
  });
  return { report, errors: lines.filter((line) => line.includes("error TS")), figures: new Map(figures) };
}
