"""How a claim graph looks: layout, scene, and the formats it is rendered to."""
