"""`python -m app` in a checkout. From any other folder it is `switchyard`, or `python -m switchyard`."""

from switchyard.__main__ import leave_the_current_folder_out, main

if __name__ == "__main__":
    leave_the_current_folder_out()
    main()
