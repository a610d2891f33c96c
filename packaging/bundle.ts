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
  "kysely/sqlite/reader-thread": "./src/kysely/sqlite/reader-thread.ts",
};

/** Programs of the package, which `bin` names. */
const PROGRAMS: Readonly<Record<string, string>> = {
  "cli/main": "./src/cli/main.ts",
};

/**
 * Small modules that many entries share: one chunk for each group, so that `dist` has few files. Declarations belong to no
 * group.
 */
const SHARED = [
  { name: "base", test: /\/src\/(?:base|errors|json)\/.*(?<!\.d)\.ts$/u },
  { name: "model", test: /\/src\/(?:edm|query|definition)\/.*(?<!\.d)\.ts$/u },
  { name: "command", test: /\/src\/cli\/(?:serve\/(?:users-file|serve-user)|(?!main)[^/]+)(?<!\.d)\.ts$/u },
];

/**
 * Writes `dist`: one JavaScript file and one declaration file for each entry, and chunks for their shared code. Source maps
 * contain their sources, so the package needs no `src`.
 * @param project the folder of package.json
 * @param entries by their names in `exports`
 * @throws Error if a file cannot be bundled, and for a warning of the bundler
 */
export async function bundle(project: string, entries: Readonly<Record<string, PackageEntry>>): Promise<void> {
  const input = Object.fromEntries(
    Object.values(entries).map((entry) => [entry.default.slice("./dist/".length, -".js".length), entry.source]),
  );
  const build = await rolldown({
    input: { ...input, ...THREADS, ...PROGRAMS },
    cwd: project,
    platform: "neutral",
    external: [/^node:/u, /^odatakit(?:\/|$)/u, "kysely", "jose", "pg", "mysql2", "fastify", /^hono(?:\/|$)/u],
    checks: { bundlerTimings: false },
    plugins: [dts({ cwd: project, tsconfig: "tsconfig.build.json", generator: "oxc", sourcemap: false })],
    onLog(level, log) {
      if (level === "warn") throw new Error(log.message);
    },
  });
  try {
    await build.write({
      dir: "dist",
      format: "esm",
      sourcemap: true,
      chunkFileNames: "chunks/[name].js",
      codeSplitting: { groups: SHARED },
      comments: { legal: true, annotation: true, jsdoc: false },
    });
  } finally {
    await build.close();
  }
}
