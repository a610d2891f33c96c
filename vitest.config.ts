import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./test/house/closing-line-reporter.ts";

// "source" leads `import … from "odatakit"` to src/ instead of dist/.
const conditions = ["source", "node", "module", "default"];

/** Files that change what other files would see: they mock a module, or set the time zone of the process. */
const ALONE = [
  "test/kysely/distributed-forms.test.ts",
  "test/kysely/stored-utc.test.ts",
  "test/memory/apply-query.test.ts",
  "test/payload/sha256.test.ts",
];

/** `npm run test:browser` runs these: it installs the browser first. */
const BROWSER = "test/browser/**";

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    watch: false,
    // A watchdog, not a measure: a loaded machine must not fail a test that ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    setupFiles: ["test/setup.ts"],
    reporters: ["default", new ClosingLineReporter()],
    projects: [
      {
        // Files of one worker share the modules, and with them the one PGlite.
        extends: true,
        test: {
          name: "tests",
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, BROWSER],
          pool: "threads",
          isolate: false,
        },
      },
      {
        // A time zone is set for a process, not for a thread.
        extends: true,
        test: { name: "alone", include: ALONE, pool: "forks" },
      },
      { extends: true, test: { name: "browser", include: [`${BROWSER}/*.test.ts`], pool: "threads" } },
      {
        extends: true,
        test: {
          name: "types",
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ["test/types/**/*.test-d.ts"],
            tsconfig: "test/types/tsconfig.json",
            // Only the type tests are judged here; `npm run check` compiles everything.
            ignoreSourceErrors: true,
          },
        },
      },
    ],
  },
});
