import process from "node:process";
import { defineConfig } from "vitest/config";
import { ALL_CASES } from "./test/cases.ts";
import { placeExplorerFiles } from "./test/hosts/explorer/placed-files.ts";
import { ClosingLineReporter } from "./test/house/closing-line-reporter.ts";
import { BRANCH_FLOORS } from "./test/house/coverage-floors.ts";
import { LONG, SLOW } from "./test/long-files.ts";
import { LongestFirst } from "./test/longest-first.ts";
import { COMPILED, makeRunFolder } from "./test/once-per-run.ts";
import { filesOverServers } from "./test/over-servers.ts";

// "source" leads `import … from "odatakit"` to src/ instead of dist/.
const conditions = ["source", "node", "module", "default"];

/**
 * Files that change what other files would see, since they mock a module or set the time zone of the process; and one whose
 * connections end after a time, which other files of its worker would use up.
 */
const ALONE = [
  "test/http/node-body.test.ts",
  "test/databases/sql/stored-utc.test.ts",
  "test/engine/memory/apply-query.test.ts",
  "test/payload/sha256.test.ts",
  "test/engine/rows/shared-statements.test.ts",
];

/** Files that measure time, pauses or memory: `npm run test:measured` runs these, and nothing else may run then. */
const MEASURED = [
  "test/tools/cli/long-statements.test.ts",
  "test/tools/cli/many-tables.test.ts",
  "test/databases/sql/large-responses.test.ts",
  "test/databases/sql/million-rows.test.ts",
  "test/databases/sql/no-stalls.test.ts",
];

/**
 * Files whose tests also run over PostgreSQL as if it were spread over machines, each set declared as `distributed`. Those
 * which assert the forms of statements for one machine are absent, and those with their own such engine.
 */
const SPREAD = [
  "test/engine/executors/{beyond,cancelled,cell-names,collated-references,column-expressions,foreign-texts}.test.ts",
  "test/engine/executors/{complex-changes,complex-columns,complex-paths}.test.ts",
  "test/engine/executors/{found-queries,identities,instants,keyset-pages,lambda,legacy,legacy-writes,large-pages}.test.ts",
  "test/engine/executors/{casts,shared-keys,stored-casts,divided-differential,value-functions,wide-decimals}.test.ts",
  "test/databases/sql/{change-sets,character-sets,check-constraints,converted-columns,if-none-match,infinite-cells}.test.ts",
  "test/databases/sql/{etag-of-all,etag-of-all-pairs,log-fields,malformed-texts,null-operands,related-keys,stored-indexes}.test.ts",
  "test/databases/sql/{storage-forms,text-guids,unreadable-cells,unreadable-null,writes-edges,writes-rounding}.test.ts",
  "test/engine/apply/{answer,meaning,routes,rules}.test.ts",
  "test/engine/executors/{apply-answers,checked-queries}.test.ts",
  "test/databases/sql/{far-dates,year-zero}.test.ts",
  "test/engine/rows/{foreign-keys,foreign-keys-along}.test.ts",
  "test/service/sets/{access,transactions}.test.ts",
];

/** The same for files that test the protocol. The sample contains none of them. */
const SPREAD_PROTOCOL = [
  "test/service/http/capabilities-tables.test.ts",
  "test/service/http/{batch,batch-alone,batch-change-sets,batch-clients,batch-json,batch-malformed,batch-urls}.test.ts",
  "test/service/http/{standard-profile,standard-profile-unsupported}.test.ts",
];

/** Files with their own engine for databases that are spread over machines, which also run over a cluster of Citus. */
const OVER_CLUSTER = [
  "test/engine/executors/{relations,relations-cases,same-answers}.test.ts",
  "test/databases/sql/{writes,writes-graph,writes-links,writes-odd-bodies,writes-values}.test.ts",
  "test/databases/sql/{restricted-computations,restricted-source}.test.ts",
  "test/engine/rows/*.test.ts",
  "test/databases/distributed/{advised-indexes,beyond-range,constant-conditions,counted-values,exact-writes,existing-columns,hidden-tenants,shard-constraints}.test.ts",
  "test/databases/distributed/{paired-tables,reads,returned-cells,rounded-values}.test.ts",
];

/** Whether the tests run over the cluster of DISTRIBUTED_URL, and no other database. */
const IS_CLUSTER = process.env["ODATAKIT_CITUS"] !== undefined;

/**
 * The files of this run. `rest` completes `npm test`: the long files, those over servers, and distributed sets. `short` omits the
 * long files always, `all` never.
 */
const { ODATAKIT_FILES: FILES } = process.env;
const IS_REST = FILES === "rest";

/** The folder below `coverage/` for what this run covers. `npm run check:coverage` compares such runs together with the floors. */
const { ODATAKIT_COVERAGE: RECORDED } = process.env;

/** Whether the command names files: then the long ones are no exception. */
const NAMES_FILES =
  FILES !== "short" &&
  process.argv.slice(2).some((argument) => !["run", "list"].includes(argument) && !argument.startsWith("-"));

/** A server of PostgreSQL takes the place of the PostgreSQL in this process. */
const WITHOUT_PGLITE = process.env["ODATAKIT_POSTGRES"] === undefined ? {} : { ODATAKIT_WITHOUT_PGLITE: "1" };

const OMITTED = FILES === "all" || IS_REST || ALL_CASES || NAMES_FILES ? [] : LONG;
const OVER_SERVERS = IS_REST ? filesOverServers() : [];

/** `npm run test:browser` runs these: it installs the browser first. */
const BROWSER = "test/browser/**";

/** `npm run test:packaging` runs these: they write `dist` and a tarball. */
const PACKAGING = "test/packaging/**";

/** `npm run test:clients` runs these: it installs the clients first. */
const CLIENTS = "test/clients/**";

/** `npm run test:licensed` runs these: it installs the clients with commercial licenses first. */
const LICENSED = "test/clients/licensed/**";

/** `npm run test:hosts` runs these: it installs the runtimes and frameworks first. */
const HOSTS = "test/frameworks/**";

placeExplorerFiles();

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: conditions } },
  test: {
    watch: false,
    // A watchdog, not a measure: a loaded machine must not fail a test that ends.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    // On a machine that nobody watches, a test that fails is run once more. If it passes then, the run names it as unsteady.
    retry: process.env["CI"] === undefined ? 0 : 1,
    expect: { poll: { timeout: 120_000 } },
    // V8 frees the code of a WebAssembly wrapper that it has optimized, while another thread uses that code, and the process
    // ends. Threads of the sources run WebAssembly, which removes their types.
    execArgv: ["--wasm-wrapper-tiering-budget=1000000000"],
    // One more than the cores of a small machine: some files wait for timers, sockets and programs.
    // A cluster runs one file at a time: files that distribute tables at once wait for one another without end.
    maxWorkers: IS_CLUSTER ? 1 : 3,
    sequence: { sequencer: LongestFirst },
    // Later runs read the modules that an earlier run has transformed.
    fsModuleCache: true,
    setupFiles: ["test/setup.ts"],
    // Programs that tests start compile the sources once, not once each.
    env: {
      NODE_COMPILE_CACHE: COMPILED,
      ...makeRunFolder(),
    },
    reporters: ["default", new ClosingLineReporter()],
    coverage: {
      provider: "custom",
      customProviderModule: "./test/house/coverage-per-worker.ts",
      include: ["src/**/*.ts"],
      // They run in a thread, where coverage is not measured.
      exclude: ["src/databases/sqlite/driver/reader-thread.ts"],
      reportOnFailure: true,
      ...(RECORDED === undefined
        ? {
            reporter: ["text-summary", "html"],
            thresholds: Object.fromEntries(
              Object.entries(BRANCH_FLOORS).map(([room, branches]) => [`src/${room}/**`, { branches }]),
            ),
          }
        : { enabled: true, reportsDirectory: `coverage/${RECORDED}`, reporter: ["json"] }),
    },
    projects: [
      {
        // Files of one worker share the modules, and with them the one PGlite. Workers are processes: V8 may abort where
        // several threads of one process run WebAssembly, as PGlite does.
        extends: true,
        test: {
          name: "tests",
          include: IS_REST ? [...LONG] : ["test/**/*.test.ts"],
          exclude: [...ALONE, ...SLOW, ...MEASURED, ...OMITTED, BROWSER, PACKAGING, CLIENTS, HOSTS],
          pool: "forks",
          isolate: false,
          env: IS_REST ? WITHOUT_PGLITE : {},
        },
      },
      {
        // What `npm test` has run over SQLite and PGlite.
        extends: true,
        test: {
          name: "servers",
          include: [...OVER_SERVERS],
          exclude: [...ALONE, ...SLOW, ...MEASURED, ...LONG, BROWSER, PACKAGING, CLIENTS, HOSTS],
          pool: "forks",
          isolate: false,
          env: { ODATAKIT_SERVERS_ONLY: "1" },
        },
      },
      {
        extends: true,
        test: {
          name: "distributed",
          include: [
            ...(IS_CLUSTER || ALL_CASES || IS_REST ? SPREAD : []),
            ...(IS_CLUSTER || ALL_CASES ? SPREAD_PROTOCOL : []),
            ...(IS_CLUSTER ? OVER_CLUSTER : []),
          ],
          pool: "forks",
          isolate: false,
          env: { ODATAKIT_SPREAD: "1", ...(IS_REST ? WITHOUT_PGLITE : {}) },
          setupFiles: ["test/setup.ts", "test/databases/distributed/spread-sets.ts"],
        },
      },
      {
        // A time zone is set for a process, not for a thread.
        extends: true,
        test: {
          name: "alone",
          include: IS_REST ? ALONE.filter((file) => LONG.includes(file) || OVER_SERVERS.includes(file)) : ALONE,
          exclude: [...OMITTED],
          pool: "forks",
        },
      },
      { extends: true, test: { name: "slow", include: [...SLOW], pool: "forks" } },
      { extends: true, test: { name: "measured", include: MEASURED, pool: "forks", fileParallelism: false } },
      { extends: true, test: { name: "packaging", include: [`${PACKAGING}/*.test.ts`], pool: "forks" } },
      {
        extends: true,
        test: {
          name: "clients",
          include: [`${CLIENTS}/*.test.ts`],
          exclude: ["**/node_modules/**", LICENSED],
          pool: "forks",
        },
      },
      { extends: true, test: { name: "licensed", include: [`${LICENSED}/*.test.ts`], pool: "forks" } },
      { extends: true, test: { name: "hosts", include: [`${HOSTS}/*.test.ts`], pool: "forks" } },
      { extends: true, test: { name: "browser", include: [`${BROWSER}/*.test.ts`], pool: "forks" } },
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
