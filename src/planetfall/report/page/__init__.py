"""The pages: one run or one campaign as HTML that needs nothing but itself."""
