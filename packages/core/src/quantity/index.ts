export type QuantityFormat = "DecimalSI" | "BinarySI" | "DecimalExponent";
