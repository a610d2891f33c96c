import { defineConfig } from "vitest/config";
import { ClosingLineReporter } from "./test/house/closing-line-reporter.ts";

// "source" leads `import … from "odatakit"` to src/ instead of dist/.
const conditions = ["source", "node", "module", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    watch: false,
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
