import { describe, expect, test } from "vitest";
import { findBrowser } from "../browser.ts";
import { Job } from "./jobs.ts";
import { notesService } from "./notes-service.ts";
import { servedExplorers } from "./served-explorers.ts";

const program = findBrowser();

describe.skipIf(program === undefined)("the count of what a user does", () => {
  const { routes, open } = servedExplorers(program);

  test("counts clicks, double clicks and keys, and nothing that a script does", async () => {
    const explorer = await open(notesService({ routes: routes() }).service, "/notes", "#/home");
    const job = await Job.begin(explorer);
    expect(await job.done()).toBe("nothing");
    await job.click(".search .input");
    await job.type("Note");
    await job.press("Shift+Home", "Control+c");
    expect(await job.done()).toBe("1 click, 6 keys");
    await job.doubleClick("h1");
    expect(await job.done()).toBe("1 double click, 1 click, 6 keys");
    job.restart();
    await explorer.page.evaluate("document.querySelector('main').click()");
    expect(await job.done()).toBe("nothing");
    await explorer.page.reload();
    await explorer.settle();
    await job.press("/", "Escape");
    expect(await job.done()).toBe("2 keys");
    expect(explorer.complaints).toEqual([]);
  });
});
