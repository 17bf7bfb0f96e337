// Loaded before a program: writes the time and the memory that it took into the file $METER.
import { writeFileSync } from "node:fs";

const file = process.env["METER"];
process.on("exit", () => {
  if (file === undefined) return;
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  writeFileSync(file, JSON.stringify({ cpuSeconds: (user + system) / 1e6, maxMegabytes: maxRSS / 1024 }));
});
