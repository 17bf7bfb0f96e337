// Ages as people read them.

/**
 * A duration as kubectl prints ages, such as "31s", "4m10s", "3h5m" and "12d": two units while both are useful.
 * @upstream apimachinery/pkg/util/duration/duration.go#HumanDuration
 */
export function humanDuration(ms: number): string {
  const seconds = Math.trunc(ms / 1000);
  if (!Number.isFinite(seconds) || seconds < -1) return "<invalid>";
  if (seconds < 0) return "0s";
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  const days = Math.floor(hours / 24);
  const years = Math.floor(days / 365);
  if (seconds < 120) return `${seconds}s`;
  if (minutes < 10) return twoUnits([minutes, "m"], [seconds % 60, "s"]);
  if (hours < 3) return `${minutes}m`;
  if (hours < 8) return twoUnits([hours, "h"], [minutes % 60, "m"]);
  if (hours < 48) return `${hours}h`;
  if (days < 8) return twoUnits([days, "d"], [hours % 24, "h"]);
  if (years < 2) return `${days}d`;
  if (years < 8) return twoUnits([years, "y"], [days % 365, "d"]);
  return `${years}y`;
}

/** The same of an age; another machine's clock can be a little ahead of ours. */
export function ageText(ageMs: number): string {
  return humanDuration(Math.max(0, ageMs));
}

function twoUnits(first: readonly [number, string], second: readonly [number, string]): string {
  return second[0] === 0 ? first.join("") : `${first.join("")}${second.join("")}`;
}
