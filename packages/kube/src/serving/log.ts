/** Where serving tells what it does; pino's loggers have this shape. */
export interface ServingLog {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}
