print("hato")
