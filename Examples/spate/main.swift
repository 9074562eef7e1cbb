print("spate")
