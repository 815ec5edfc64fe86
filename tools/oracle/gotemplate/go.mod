module oracle/gotemplate

go 1.26
