"""What PHAGE is compared with: published encoders, word overlap, graphs over neighbours."""
