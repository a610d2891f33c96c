import { BaseSequencer, type TestSpecification } from "vitest/node";
import { ROOT } from "./house/source-files.ts";
import { LONG, SLOW } from "./long-files.ts";

const LONGEST: readonly string[] = [...SLOW, ...LONG];

/** Starts the longest files first: a long file that starts last occupies one worker while the others have nothing left. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- a method of Vitest
    const sorted = await super.sort(files);
    const rankOf = ({ moduleId }: TestSpecification): number => {
      const rank = LONGEST.indexOf(moduleId.slice(ROOT.length));
      return rank === -1 ? LONGEST.length : rank;
    };
    return sorted.toSorted((left, right) => rankOf(left) - rankOf(right));
  }
}
