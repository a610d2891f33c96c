import { rolldown } from "rolldown";
import { dts } from "rolldown-plugin-dts";

/** One entry of `exports` in package.json: its source file, and the files that `dist` has for it. */
export interface PackageEntry {
  readonly source: string;
  readonly types: string;
  readonly default: string;
}

/** Files of the package that its code starts as threads. They are in the folder of the entry that starts them. */
const THREADS: Readonly<Record<string, string>> = {
  "engines/sqlite/reader-thread": "./src/databases/sqlite/driver/reader-thread.ts",
};

/** Programs of the package, which `bin` names. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "cli/main": "./src/tools/cli/main.ts",
};

/**
 * Small modules that many entries share: one chunk for each group, so that `dist` has few files. Declarations belong to no
 * group.
 */
const SHARED = [
  { name: "base", test: /\/src\/(?:base\/.*|databases\/connection\/dialect-options)(?<!\.d)\.ts$/u },
  { name: "model", test: /\/src\/(?:edm|language\/query|definition)\/.*(?<!\.d)\.ts$/u },
  // The code that reads databases is not part of it: `--version`, `hash` and `check` start without Kysely.
  {
    name: "command",
    test: /\/src\/tools\/cli\/(?:serve\/(?:users-file|serve-user)|(?!main|set-rules)[^/]+)(?<!\.d)\.ts$/u,
  },
];

/** V8 keeps a module with any other character in twice the memory, and takes longer to read it. */
const CHARSET = "ascii";

/** Legal comments stay, and doc comments are those of the declarations. */
const COMMENTS = { legal: true, annotation: true, jsdoc: false } as const;

/**
 * Writes `dist`: one JavaScript file and one declaration file for each entry, chunks for their shared code, and the copy of
 * Kysely that the command uses. The code of odatakit is readable, so there are no source maps.
 * @param project the folder of package.json
 * @param entries by their names in `exports`
 * @throws Error if a file cannot be bundled, and for a warning of the bundler
 * @see docs/decisions/0025-bundled-package.md
 */
export async function bundle(project: string, entries: Readonly<Record<string, PackageEntry>>): Promise<void> {
  await bundleKysely(project, await bundleEntries(project, entries));
}

/** @returns the names that the modules import from `kysely` */
async function bundleEntries(
  project: string,
  entries: Readonly<Record<string, PackageEntry>>,
): Promise<ReadonlySet<string>> {
  const input = Object.fromEntries(
    Object.values(entries).map((entry) => [entry.default.slice("./dist/".length, -".js".length), entry.source]),
  );
  const build = await rolldown({
    input: { ...input, ...THREADS, ...PROGRAMS },
    cwd: project,
    platform: "neutral",
    external: [/^node:/u, /^odatakit(?:\/|$)/u, "kysely", "jose", "pg", "mysql2", "fastify", /^hono(?:\/|$)/u],
    checks: { bundlerTimings: false },
    // Comments with the paths of modules would be one in a hundred bytes.
    experimental: { attachDebugInfo: "none" },
    plugins: [dts({ cwd: project, tsconfig: "tsconfig.build.json", generator: "oxc", sourcemap: false })],
    onLog: failOnWarning,
  });
  try {
    const { output } = await build.write({
      dir: "dist",
      format: "esm",
      chunkFileNames: "chunks/[name].js",
      codeSplitting: { groups: SHARED },
      comments: COMMENTS,
      charset: CHARSET,
    });
    const codes = output.flatMap((file) => (file.type === "chunk" && file.fileName.endsWith(".js") ? [file.code] : []));
    return new Set(codes.flatMap(importedFromKysely));
  } finally {
    await build.close();
  }
}

/** Returns the names that a module of the bundler imports from `kysely`, at its start or later. */
function importedFromKysely(code: string): readonly string[] {
  const imports = code.matchAll(/(?:import|const) \{([^}]*)\} (?:from|= await import\()\s*"kysely"/gu);
  return Array.from(imports, ([, names = ""]) => names.match(/[\w$]+(?=\s*(?:,|$| as |: ))/gu) ?? []).flat();
}

/** The module whose exports are the parts of Kysely in use. */
const USED_KYSELY = "used:kysely";

/** Writes the parts of Kysely that the package imports as one module. The build before it leaves these imports as they are. */
async function bundleKysely(project: string, names: ReadonlySet<string>): Promise<void> {
  const build = await rolldown({
    input: { "cli/kysely": USED_KYSELY },
    cwd: project,
    platform: "neutral",
    checks: { bundlerTimings: false },
    experimental: { attachDebugInfo: "none" },
    plugins: [
      {
        name: "used-kysely",
        resolveId: (id) => (id === USED_KYSELY ? id : null),
        load: (id) => (id === USED_KYSELY ? `export { ${[...names].join(", ")} } from "kysely";` : null),
      },
    ],
    onLog: failOnWarning,
  });
  try {
    await build.write({
      dir: "dist",
      format: "esm",
      comments: COMMENTS,
      charset: CHARSET,
      // Nobody reads this copy, but stack traces name its lines.
      minify: { compress: true, mangle: true, codegen: { removeWhitespace: false } },
      banner: "/*! This is Kysely; its licence is in vendor/LICENSE-kysely. */",
    });
  } finally {
    await build.close();
  }
}

function failOnWarning(level: string, log: { readonly message: string }): void {
  if (level === "warn") throw new Error(log.message);
}
