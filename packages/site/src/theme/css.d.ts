// Vite puts the style sheet into the page.
declare module "*.css";
