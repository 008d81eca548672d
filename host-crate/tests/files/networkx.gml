graph [
  directed 1
  node [
    id 0
    label "bob"
    weight 7
  ]
  node [
    id 1
    label "Ann &#38; &#228;"
  ]
  node [
    id 2
    label "lone"
  ]
  edge [
    source 0
    target 1
    weight 2.5
  ]
  edge [
    source 1
    target 0
    weight 3
  ]
]
