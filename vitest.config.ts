import { defineConfig } from "vitest/config";

const conditions = ["source", "node", "module", "import", "default"];

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    include: ["test/**/*.test.ts"],
    watch: false,
    pool: "threads",
    maxWorkers: 2,
    testTimeout: 10_000,
    reporters: ["default", "./test/house/closing-line-reporter.ts"],
    typecheck: {
      enabled: true,
      include: ["test/types/**/*.test-d.ts"],
      tsconfig: "./tsconfig.json",
    },
  },
});
