import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./test/house/closing-line-reporter.ts";

// "source" leads `import … from "odatakit"` to src/ instead of dist/.
const conditions = ["source", "node", "module", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    watch: false,
    // A watchdog, not a measure: a loaded machine must not fail a test that ends.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    pool: "threads",
    maxWorkers: 2,
    reporters: ["default", new ClosingLineReporter()],
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      // Only the type tests are judged here; `npm run check` compiles everything.
      ignoreSourceErrors: true,
    },
  },
});
