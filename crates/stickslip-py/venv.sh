# Sourced by ./test and ./test-ray from the root of the repository: makes the virtual environment "$venv" of the tests under "$target".
venv="$target/python-venv"
needed="crates/stickslip-py/test-requirements.txt"
python3 -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || {
    echo "missing: python3 of at least 3.11 with venv (apt-get install python3-venv)"
    exit 1
}
if ! cmp -s "$needed" "$venv/installed.txt"; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$needed" || {
        echo "missing: $(tr '\n' ' ' <"$needed")(pip install failed; is PyPI reachable?)"
        exit 1
    }
    cp "$needed" "$venv/installed.txt"
fi
