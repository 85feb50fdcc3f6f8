"""Tell the class of rows: networks with smoothed tables, averages of them, pools of both."""
