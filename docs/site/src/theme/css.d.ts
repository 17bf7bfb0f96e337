// Vite puts the style sheet into the page, or gives its text.
declare module "*.css";
declare module "*.css?inline" {
  const text: string;
  export default text;
}
