"""The parts of ``visavis chat``: what is shown, what a line may be, pictures in terminals, scripts."""
