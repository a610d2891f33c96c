#!/usr/bin/env node
import process from "node:process";
import { runCreate } from "./run-create.ts";

process.exitCode = await runCreate(process.argv.slice(2), process);
