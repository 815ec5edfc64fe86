module oracle/gostd

go 1.26
