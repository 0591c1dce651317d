package transaction

// NewUnchecked is New without the rules between configuration keys: rows of the vectors
// break one of them to reach another.
func NewUnchecked(cfg Config, opts ...Option) (*Service, error) { return newService(cfg, opts...) }
