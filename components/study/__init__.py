"""The screens of one study: import, freeze, people, versions, data lock."""
