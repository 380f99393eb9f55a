"""The tool `web_scraper`: what a web page says."""
