import type { Command, Invocation, ExitReason } from "../command.ts";
import { usageProblem, reportProblems } from "../problem.ts";
import { userLine } from "../serve/users-file.ts";

const LEAST_LENGTH = 8;
const MOST_LENGTH = 1024;

/** `odatakit hash`: writes a line of the users file. */
export const hashCommand: Command = {
  name: "hash",
  summary: "print a line of the users file of `serve --auth basic`, for a password of the standard input",
  positionals: "<name>",
  maxPositionals: 1,
  options: {
    write: { type: "boolean", value: null, summary: "the user may change rows too", default: null, inFile: false },
  },
  examples: [
    ["odatakit hash ada >> users.txt < password.txt", "adds a user who reads"],
    ["odatakit hash grace --write >> users.txt", "asks for the password of a user who writes"],
  ],
  run: hash,
};

async function hash({ positionals, options, terminal, readInput }: Invocation): Promise<ExitReason> {
  const [name = ""] = positionals;
  if (!/^[^:\s\p{C}]{1,64}$/u.test(name)) {
    return reportProblems(
      [usageProblem("The name is missing, or contains a colon or blank.", "Write `odatakit hash <name>`.")],
      terminal,
    );
  }
  const password = (await readInput(`Password of ${name}: `)).replace(/\r?\n$/, "");
  if (password.length < LEAST_LENGTH || password.length > MOST_LENGTH) {
    const fix = `Give ${String(LEAST_LENGTH)} to ${String(MOST_LENGTH)} characters.`;
    return reportProblems([usageProblem("The password is too short or too long.", fix)], terminal);
  }
  terminal.print(await userLine(name, password, options["write"] === true ? "write" : "read"));
  return "success";
}
